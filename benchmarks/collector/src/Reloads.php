<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Closure;

/**
 * Rolling reloads while kept and new connections send events: each must be answered, and each acknowledged event
 * kept.
 */
final readonly class Reloads
{
    /* * @param \Closure(string): void $log */
    public function __construct(private int $reloads, private Closure $log) {}

    /** @return array<string, mixed> */
    public function run(): array
    {
        $x = StackX::start(2);

        try {
            $key = $x->key();
            $seconds = 3.0 * $this->reloads;
            $clients = [
                'kept' => Wrk::events(['EVENT_PREFIX' => 'kept-', 'EVENT_KEY' => $key, 'EVENT_PAUSE' => '2'])
                    ->start("{$x->url}/v1/events", 50, $seconds),
                'new' => Wrk::events([
                    'EVENT_PREFIX' => 'new-',
                    'EVENT_KEY' => $key,
                    'EVENT_PAUSE' => '2',
                    'EVENT_CLOSE' => '1',
                ])->start("{$x->url}/v1/events", 20, $seconds),
            ];
            usleep(500_000);
            $done = 0;

            while ($done < $this->reloads && $clients['kept']->isRunning()) {
                $x->reload();
                $done++;
            }

            foreach ($clients as $client) {
                $client->wait();
            }

            [$kept, $new] = [
                WrkResult::fromOutput($clients['kept']->getOutput()),
                WrkResult::fromOutput($clients['new']->getOutput()),
            ];
            $missing = max(0, $kept->requests - $kept->refused + $new->requests - $new->refused - $x->pending());
        } finally {
            $x->stop();
        }

        ($this->log)(sprintf(
            '  %d reloads: %d requests on kept connections, %d on new ones, %d failed, %d missing',
            $done,
            $kept->requests,
            $new->requests,
            $kept->errors() + $new->errors(),
            $missing,
        ));

        return [
            'reloads' => $done,
            'kept' => $kept->toArray(),
            'new' => $new->toArray(),
            'failed' => $kept->errors() + $new->errors(),
            'missing' => $missing,
        ];
    }
}
