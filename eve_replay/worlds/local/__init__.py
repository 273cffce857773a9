"""The folder that the local world writes: flat files, locks, stream chunks, archives of them."""
