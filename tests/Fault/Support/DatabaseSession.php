<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Illuminate\Database\Connection;

/**
 * The session of a process with the database of its world.
 */
final readonly class DatabaseSession
{
    public function __construct(private World $world) {}

    /** Called by a process that a test will cut off from its database. */
    public function note(): void
    {
        $id = $this->database()->scalar($this->isPostgreSql() ? 'select pg_backend_pid()' : 'select connection_id()');
        file_put_contents("{$this->world->directory}/session", json_encode($id));
    }

    public function endNoted(): void
    {
        $id = (int) file_get_contents("{$this->world->directory}/session");
        $this->database()->statement($this->isPostgreSql() ? "select pg_terminate_backend({$id})" : "kill {$id}");
    }

    /** A statement that waits for another connection's lock in the database gives up soon. */
    public function beImpatient(): void
    {
        $this->database()->statement(match ($this->database()->getDriverName()) {
            'pgsql' => "set lock_timeout = '500ms'",
            'sqlite' => 'pragma busy_timeout = 300',
            default => 'set session innodb_lock_wait_timeout = 1',
        });
    }

    private function isPostgreSql(): bool
    {
        return $this->database()->getDriverName() === 'pgsql';
    }

    private function database(): Connection
    {
        return $this->world->database();
    }
}
