<?php

declare(strict_types=1);

// As spool:install publishes it, without a copy to keep in step.
return require dirname(__DIR__, 3).'/database/migrations/2026_01_01_000001_create_spool_nodes_table.php';
