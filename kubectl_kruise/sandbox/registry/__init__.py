"""What the server does with objects: kinds, and the pipelines of create, update, patch and delete."""
