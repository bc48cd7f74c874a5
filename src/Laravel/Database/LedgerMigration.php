<?php

declare(strict_types=1);

namespace Headroom\Laravel\Database;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\EffectiveUser;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Database\DatabaseManager;
use Illuminate\Database\Migrations\Migrator;
use Throwable;

/**
 * The migration in the application's own directory. A bucket on another connection may be declared after it has run; the
 * ledger gets into that database by publishing the same migration again under a new name.
 *
 * @internal
 */
final readonly class LedgerMigration
{
    private const SUFFIX = '_create_spool_ledger_table';

    private const NODES = '_create_spool_nodes_table';

    private Clock $clock;

    public function __construct(private Application $app, private SpoolServices $spool, private DatabaseManager $databases)
    {
        $this->clock = new SystemClock;
    }

    public function isPublished(): bool
    {
        return $this->published() !== [];
    }

    public function publishAgainWhereMissing(): void
    {
        $this->publishNodesWhereMissing();

        if (! $this->isDone() || ! $this->isLedgerMissing()) {
            return;
        }

        $now = $this->clock->now();

        do {
            $target = $this->app->databasePath('migrations/'.$now->format('Y_m_d_His').self::SUFFIX.'.php');
            $now = $now->modify('+1 second');
        } while (file_exists($target));

        self::copy('2026_01_01_000000'.self::SUFFIX, $target);
    }

    /** An application that installed the package before it had heartbeats. */
    private function publishNodesWhereMissing(): void
    {
        $published = glob($this->app->databasePath('migrations/*'.self::NODES.'.php'));

        if ($published === [] || $published === false) {
            self::copy('2026_01_01_000001'.self::NODES, $this->app->databasePath('migrations/'.$this->clock->now()->format('Y_m_d_His').self::NODES.'.php'));
        }
    }

    /** Root would write through a link of the folder's owner. */
    private static function copy(string $name, string $target): void
    {
        EffectiveUser::in(dirname($target))->during(static fn (): bool => copy(dirname(__DIR__, 3)."/database/migrations/{$name}.php", $target));
    }

    /** Every published one has run: otherwise running it is all that is left to do. */
    private function isDone(): bool
    {
        $migrator = $this->app->make('migrator');
        $repository = $migrator instanceof Migrator ? $migrator->getRepository() : null;

        try {
            return $repository !== null && $repository->repositoryExists() && array_diff($this->published(), $repository->getRan()) === [];
        } catch (Throwable) {
            return false;
        }
    }

    private function isLedgerMissing(): bool
    {
        foreach ($this->spool->config()->buckets() as $bucket) {
            try {
                if ($bucket->sink === 'database' && ! $this->databases->connection($bucket->options->optionalString('connection'))->getSchemaBuilder()->hasColumn('spool_ledger', 'checksum')) {
                    return true;
                }
            } catch (Throwable) {
                // Not reachable: spool:health says so.
            }
        }

        return false;
    }

    /** @return list<string> names as the migrator knows them */
    private function published(): array
    {
        $files = glob($this->app->databasePath('migrations/*'.self::SUFFIX.'.php'));

        return array_map(static fn (string $file): string => basename($file, '.php'), $files === false ? [] : $files);
    }
}
