<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Closure;
use Headroom\Benchmarks\Collector\Handlers\Hello;
use Headroom\Benchmarks\Collector\Handlers\PassOn;

/**
 * From 100 users to 1,000, each with a request a second, for each of the three scenarios and both servers. Response
 * time and requests/s of each step.
 */
final readonly class RisingUsers
{
    private const THINK_MILLIS = '1000';

    /**
     * @param list<int> $users
     * @param Closure(string): void $log
     */
    public function __construct(
        private string $index,
        private array $users,
        private float $seconds,
        private Closure $log,
    ) {}

    /** @return array<string, list<array<string, mixed>>> by scenario and stack */
    public function run(): array
    {
        $upstream = Upstream::start(2000);
        $stored = ['x' => new Index($this->index, 'figures-x'), 'a' => new Index($this->index, 'figures-a')];
        $env = ['UPSTREAM' => $upstream->url, 'INDEX' => "{$this->index}/{$stored['a']->name}"];
        $x = StackX::start(
            4,
            flushers: 1,
            bucket: $stored['x']->sink(),
            collector: ['handlers' => ['/hello' => Hello::class, '/slow' => PassOn::class]],
            env: $env,
        );
        $proxy = BehindNginx::start([$x->address]);
        $figures = [];

        try {
            $key = $x->key();

            foreach ([
                'hello' => ['/hello', 'get'],
                'slow' => ['/slow', 'get'],
                'log' => ['/v1/events', 'events'],
            ] as $scenario => [$path, $script]) {
                $a = StackA::start(['hello' => 'hello', 'slow' => 'proxy', 'log' => 'log'][$scenario], $env);

                try {
                    $figures["{$scenario}_x"] = $this->grow("{$scenario}, stack X", $proxy->url.$path, $script, $key);
                    $figures["{$scenario}_a"] = $this->grow("{$scenario}, stack A", "{$a->url()}/", $script, $key);
                } finally {
                    $a->stop();
                }
            }
        } finally {
            $proxy->stop();
            $x->stop();
            $upstream->stop();
            array_map(static fn (Index $index) => $index->remove(), $stored);
        }

        return $figures;
    }

    /** @return list<array<string, mixed>> */
    private function grow(string $title, string $url, string $script, string $key): array
    {
        return array_map(function (int $users) use ($title, $url, $script, $key): array {
            $result = (new Wrk($script, [
                'EVENT_PREFIX' => bin2hex(random_bytes(4)).'-',
                'EVENT_KEY' => $key,
                'EVENT_PAUSE' => self::THINK_MILLIS,
            ]))->run($url, $users, $this->seconds, 60);
            ($this->log)(sprintf(
                '  %-18s %4d users: %6.0f requests/s, p50 %7.1f ms, p95 %7.1f ms, %d errors',
                $title,
                $users,
                $result->perSecond(),
                $result->p50Millis,
                $result->p95Millis,
                $result->errors(),
            ));

            return ['users' => $users, 'seconds' => $this->seconds, ...$result->toArray()];
        }, $this->users);
    }
}
