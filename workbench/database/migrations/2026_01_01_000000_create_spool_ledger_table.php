<?php

declare(strict_types=1);

// What spool:install publishes into an application; here the package's own file is at hand.
return require dirname(__DIR__, 3).'/database/migrations/2026_01_01_000000_create_spool_ledger_table.php';
