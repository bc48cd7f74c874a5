<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Evidence;

/**
 * The parts of an application that use its SQL server, and their connections: Laravel opens one for each name.
 *
 * @internal
 */
final readonly class DatabaseUsage
{
    /** Default ports of poolers: PgBouncer, ProxySQL, Odyssey and Pgpool. */
    private const POOLERS = ['6432' => 'PgBouncer', '6033' => 'ProxySQL', '9999' => 'Pgpool'];

    public function __construct(private Application $app) {}

    /** @return list<string> names of connections that a process may hold at once to the server of the default one */
    public function ofServer(): array
    {
        $default = $this->app->text('database.default');

        return array_values(array_filter(
            array_unique([$default, ...$this->used()]),
            fn (string $name): bool => $this->place($name) === $this->place($default),
        ));
    }

    /**
     * A pooler between the application and the server, by its port or its name. With a pooler the limit of the server
     * does not limit processes.
     */
    public function pooler(): ?Evidence
    {
        $key = "database.connections.{$this->app->text('database.default')}";
        $port = $this->app->text("{$key}.port");
        $host = $this->app->text("{$key}.host");
        $isNamed = str_contains($host, 'bouncer') || str_contains($host, 'proxysql') || str_contains($host, 'pooler');

        return match (true) {
            isset(self::POOLERS[$port]) => new Evidence(
                "{$key}.port",
                $port,
                'config/database.php: the port of '.self::POOLERS[$port].', whose own limits are not known',
            ),
            $isNamed => new Evidence(
                "{$key}.host",
                $host,
                'config/database.php: a pooler by its name, whose own limits are not known',
            ),
            default => null,
        };
    }

    /** @return list<string> */
    private function used(): array
    {
        $used = [];
        $store = $this->app->text('cache.default');
        $queue = $this->app->text('queue.default');

        foreach ([
            ['session.driver', 'session.connection'],
            ["cache.stores.{$store}.driver", "cache.stores.{$store}.connection"],
            ["cache.stores.{$store}.driver", "cache.stores.{$store}.lock_connection"],
            ["queue.connections.{$queue}.driver", "queue.connections.{$queue}.connection"],
        ] as [$driver, $connection]) {
            if ($this->app->text($driver) === 'database') {
                $used[] = $this->app->text($connection);
            }
        }

        return array_values(
            array_filter(
                $used,
                fn (string $name): bool => in_array($name, $this->app->keys('database.connections'), true),
            ),
        );
    }

    private function place(string $name): string
    {
        $key = "database.connections.{$name}";
        $socket = $this->app->text("{$key}.unix_socket");

        return "{$this->app->text("{$key}.url")} ".(
            $socket !== '' ? $socket : "{$this->app->text("{$key}.host")}:{$this->app->text("{$key}.port")}"
        );
    }
}
