<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Closure;
use Headroom\Benchmarks\Collector\Handlers\Hello;

/**
 * Scenario 1: one worker of the collector against nginx and FPM, which have both cores.
 */
final readonly class HelloWorld
{
    /** Below the descriptors that one worker with select() supports. */
    private const MANY = 850;

    /* * @param \Closure(string): void $log */
    public function __construct(private int $rounds, private float $seconds, private Closure $log) {}

    /** @return array<int, array<string, mixed>> by connections */
    public function run(): array
    {
        $x = StackX::start(1, collector: ['handlers' => ['/hello' => Hello::class]]);
        $two = StackX::start(2, collector: ['handlers' => ['/hello' => Hello::class]]);
        $a = StackA::start('hello');
        $figures = [];

        try {
            foreach ([100, self::MANY, 1000] as $connections) {
                ($this->log)("  {$connections} connections");
                $collector = $connections === 1000 ? $two : $x;
                $turns = new Turns;
                $turns->run($this->rounds, [
                    'collector' => fn (): WrkResult
                        => (new Wrk)->run("{$collector->url}/hello", $connections, $this->seconds),
                    'fpm' => fn (): WrkResult => (new Wrk)->run("{$a->url()}/", $connections, $this->seconds),
                ], $this->log);
                $figures[$connections] = [
                    'workers' => $connections === 1000 ? 2 : 1,
                    'sides' => $turns->figures(),
                    'collector_vs_fpm' => $turns->rates('collector', 'fpm'),
                ];
            }
        } finally {
            $x->stop();
            $two->stop();
            $a->stop();
        }

        return $figures;
    }
}
