<?php

declare(strict_types=1);

use Headroom\Tests\Acceptance\Doctor\Planted\AllFaults;
use Headroom\Tests\Acceptance\Doctor\Planted\WholeStack;

/*
 * Plants all configuration faults that can exist together in one stack, applies all fixes at once, and runs the doctor
 * again. Prints the findings before and after each round as a line of JSON:
 *
 * dev/alone.sh bin/services run mariadb -- php dev/planted-together.php
 */
require dirname(__DIR__).'/vendor/autoload.php';

$stack = WholeStack::with(AllFaults::planting());
$told = static function () use ($stack): array {
    $told = [];

    foreach ($stack->findings() as $finding) {
        $told[trim("{$finding['id']} {$finding['subject']}")] = "{$finding['status']}: {$finding['message']}";
    }

    return $told;
};
$rounds = [$told()];

for ($round = 0; $round < 4 && ($problems = $stack->problems()) !== []; $round++) {
    $stack->applyFixes($problems);
    // Servers handle a signal asynchronously.
    sleep(2);
    $rounds[] = $told();
}

echo json_encode(
    ['rounds' => $rounds, 'serves' => $stack->serves()],
    JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES,
), "\n";
