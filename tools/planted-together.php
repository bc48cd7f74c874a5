<?php

declare(strict_types=1);

use Headroom\Tests\Acceptance\Doctor\Planted\AllFaults;
use Headroom\Tests\Acceptance\Doctor\Planted\WholeStack;

/*
 * Plants all faults of configuration that can exist together in one stack, does what all fixes say at once, asks the doctor again, and
 * prints what it told before and after each round as a line of JSON: tools/alone.sh bin/services run mariadb -- php tools/planted-together.php
 */
require dirname(__DIR__).'/vendor/autoload.php';

$stack = WholeStack::with(AllFaults::planting());
$told = static fn (array $findings): array => array_column(array_map(
    static fn (array $finding): array => [trim("{$finding['id']} {$finding['subject']}"), "{$finding['status']}: {$finding['message']}"],
    $findings,
), 1, 0);
$rounds = [$told($stack->findings())];

for ($round = 0; $round < 4 && ($problems = $stack->problems()) !== []; $round++) {
    $stack->mendAll($problems);
    // Servers take a signal when they come to it.
    sleep(2);
    $rounds[] = $told($stack->findings());
}

echo json_encode(['rounds' => $rounds, 'serves' => $stack->serves()], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES), "\n";
