"""What a learner sees, as plain data: the stage, its lanes and sums, predictions. Front ends only draw it."""
