<?php

declare(strict_types=1);

// Scenario 1 of stack A.
header('Content-Type: text/plain');
echo 'Hello World!';
