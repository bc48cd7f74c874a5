<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPat\Selector\Selector;
use PHPat\Test\Attributes\TestRule;
use PHPat\Test\Builder\Rule;

/**
 * The imports that are allowed in the rooms that measure: the load generator, the doctor,
 * preloading and the benchmarks.
 */
trait MeasurementRules
{
    #[TestRule]
    public function load(): Rule
    {
        return $this->allow(
            Rooms::room('Load'),
            Rooms::all('Load', 'Http', 'Core', 'Support', 'Host', 'Process', 'Report'),
            'The load generator must measure any HTTP server, so it knows nothing of the buffer.',
        );
    }

    #[TestRule]
    public function doctor(): Rule
    {
        return $this->allow(
            Rooms::room('Doctor'),
            [
                ...Rooms::all('Doctor', 'Core', 'Support', 'Host', 'Process', 'Load', 'Report'),
                Selector::inNamespace('Symfony\Component\Process'),
            ],
            'The doctor examines applications that do not use the buffer as well.',
        );
    }

    #[TestRule]
    public function preload(): Rule
    {
        return $this->allow(
            Rooms::room('Preload'),
            Rooms::all('Preload', 'Core', 'Support', 'Host', 'Process', 'Report'),
            'Preloading helps applications that use nothing else of this package.',
        );
    }

    #[TestRule]
    public function bench(): Rule
    {
        return $this->allow(
            Rooms::room('Bench'),
            [
                ...Rooms::all('Bench', 'Core', 'Support', 'Host', 'Process', 'Load', 'Report'),
                ...array_map(Rooms::door(...), ['Spool', 'Doctor', 'Preload', 'Collector']),
                ...Rooms::spoolSeams(),
            ],
            'What is measured is what users call: experiments go through the doors.',
            Rooms::all('Bench\Queues\Drivers', 'Bench\Queues\Worker', 'Bench\Servers'),
        );
    }

    /** @return iterable<string, Rule> */
    #[TestRule]
    public function bench_laravel(): iterable
    {
        foreach (['Drivers', 'Worker'] as $folder) {
            yield '.'.$folder => $this->allow(
                Rooms::room('Bench\Queues\\'.$folder),
                [
                    ...Rooms::all('Bench', 'Core', 'Support', 'Host', 'Process', 'Report'),
                    Selector::inNamespace('Illuminate'),
                    Selector::inNamespace('Symfony\Component\Console'),
                    Selector::inNamespace('Pheanstalk'),
                ],
                'The queue benchmark compares the drivers of Laravel.',
            );
        }
    }

    #[TestRule]
    public function bench_servers(): Rule
    {
        return $this->allow(
            Rooms::room('Bench\Servers'),
            [
                ...Rooms::all('Bench\Servers', 'Core', 'Support', 'Process'),
                Selector::inNamespace('Symfony\Component\Process'),
            ],
            'A temporary server does not know what is measured on it.',
        );
    }
}
