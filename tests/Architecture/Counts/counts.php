<?php

declare(strict_types=1);

use Headroom\Tests\Architecture\Counts\Budgets;
use Headroom\Tests\Architecture\Counts\HouseCounts;

// Prints each count with its budget and its aim, and lowers budgets that are above it when called with "write".
require __DIR__.'/../../../vendor/autoload.php';

$counts = HouseCounts::all();
$budgets = Budgets::read();

if (($argv[1] ?? '') === 'write') {
    $budgets = $budgets->lowered($counts);
    $budgets->write();
}

$rows = [['count', 'now', 'budget', 'aim'], ['---', '--:', '--:', '--:']];

foreach ($counts as $count) {
    $budget = $budgets->budgets[$count->name] ?? null;
    $rows[] = [$count->name, $count->value, $budget['budget'] ?? '', $budget['aim'] ?? ''];
}

foreach ($rows as $row) {
    vprintf("| %-34s | %7s | %7s | %7s |\n", $row);
}
