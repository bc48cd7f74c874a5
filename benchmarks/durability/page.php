<?php

declare(strict_types=1);

use Headroom\Benchmarks\Report\Experiment;
use Headroom\Benchmarks\Report\Table;

$levels = [
    '`process`: in the page cache' => 'process',
    '`interval`: synced each second' => 'interval',
    '`power`: synced with each event' => 'power',
];

return new Experiment(
    'durability',
    'What an append costs at each level of durability',
    'One process appends events, at each level of durability: once with a slot that it opens for each event,'
        .' as the first'
        .' event of a request does, and once with a slot that it keeps.',
    'In the median, an append to an open slot takes {micros/kept/process/p50|micros} when the page cache has it, and'
        .' {micros/kept/power/p50|micros} when each event is synced to the disk ({filesystem|text}).',
    'make bench-durability',
    'some minutes; DIR=... measures another disk',
    [
        Table::each(
            [
                '', 'first event of a request: median', 'first event: 99th percentile', 'further events: median',
                'further events: 99th percentile',
            ],
            $levels,
            [
                '{micros/opened/@/p50|micros}', '{micros/opened/@/p99|micros}',
                '{micros/kept/@/p50|micros}', '{micros/kept/@/p99|micros}',
            ],
        ),
    ],
    [],
    [
        'How long another disk takes to sync. This one is virtual; a disk with burst credit slows down when it'
            .' is used up.',
    ],
);
