<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Headroom\Laravel\Text\Sentences;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Contracts\Queue\Factory;
use Illuminate\Contracts\Queue\Queue;
use Illuminate\Queue\Failed\CountableFailedJobProvider;
use Throwable;

/**
 * The sizes of the queue of the default connection. Other connections are not asked: the configuration of a new
 * application has some that do not exist.
 *
 * @internal
 */
final readonly class QueueSizes
{
    public function __construct(private Application $app) {}

    /** @return list<array<string, int|string|null>> */
    public function toArray(): array
    {
        $config = $this->app->make(Repository::class);
        $connection = $config->get('queue.default');

        if (! is_string($connection) || in_array($connection, ['sync', 'null', ''], true)) {
            return [];
        }

        $queue = $config->get("queue.connections.{$connection}.queue");
        $queue = is_string($queue) ? $queue : 'default';
        $sizes = ['pending' => null, 'delayed' => null, 'reserved' => null, 'failed' => null];
        $error = null;

        try {
            $sizes = [...$sizes, ...self::sizes($this->app->make(Factory::class)->connection($connection), $queue)];
            $sizes['failed'] = $this->failed($connection, $queue);
        } catch (Throwable $e) {
            $error = Sentences::shown("The queue cannot be read: {$e->getMessage()}");
        }

        return [['connection' => $connection, 'queue' => $queue, ...$sizes, 'error' => $error]];
    }

    /** @return array<string, ?int> */
    private static function sizes(Queue $connection, string $queue): array
    {
        // Laravel has the three since 12.23.
        $ask = static function (string $method) use ($connection, $queue): ?int {
            $callable = [$connection, $method];
            $size = method_exists($connection, $method) && is_callable($callable) ? $callable($queue) : null;

            return is_int($size) ? $size : null;
        };
        $pending = $ask('pendingSize');

        return $pending === null
            ? ['pending' => $connection->size($queue)]
            : ['pending' => $pending, 'delayed' => $ask('delayedSize'), 'reserved' => $ask('reservedSize')];
    }

    private function failed(string $connection, string $queue): ?int
    {
        $failer = $this->app->make('queue.failer');

        return $failer instanceof CountableFailedJobProvider ? $failer->count($connection, $queue) : null;
    }
}
