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
 * The ledger's migration in the application's directory. If a bucket on another connection is declared after the
 * migration has run, the same migration is published again under a new name, so that it runs on that database.
 *
 * @internal
 */
final readonly class LedgerMigration
{
    private const SUFFIX = '_create_spool_ledger_table';

    private const NODES = '_create_spool_nodes_table';

    private Clock $clock;

    public function __construct(
        private Application $app,
        private SpoolServices $spool,
        private DatabaseManager $databases,
    ) {
        $this->clock = new SystemClock;
    }

    public function isPublished(): bool
    {
        return $this->published() !== [];
    }

    public function publishAgainWhereMissing(): void
    {
        $this->publishNodesWhereMissing();

        if (! $this->hasRun() || ! $this->isLedgerMissing()) {
            return;
        }

        $now = $this->clock->now();

        do {
            $target = $this->app->databasePath('migrations/'.$now->format('Y_m_d_His').self::SUFFIX.'.php');
            $now = $now->modify('+1 second');
        } while (file_exists($target));

        self::copy('2026_01_01_000000'.self::SUFFIX, $target);
    }

    /** An application that installed the package before it had heartbeats lacks this migration. */
    private function publishNodesWhereMissing(): void
    {
        $published = glob($this->app->databasePath('migrations/*'.self::NODES.'.php'));

        if ($published === [] || $published === false) {
            self::copy(
                '2026_01_01_000001'.self::NODES,
                $this->app->databasePath('migrations/'.$this->clock->now()->format('Y_m_d_His').self::NODES.'.php'),
            );
        }
    }

    /**
     * Root runs this as the owner of the directory: the owner may put a link there, and root would write through it.
     */
    private static function copy(string $name, string $target): void
    {
        EffectiveUser::in(dirname($target))
            ->during(static fn (): bool => copy(dirname(__DIR__, 3)."/database/migrations/{$name}.php", $target));
    }

    /** True if every published migration has run. Otherwise the next step is to run them. */
    private function hasRun(): bool
    {
        $migrator = $this->app->make('migrator');
        $repository = $migrator instanceof Migrator ? $migrator->getRepository() : null;

        try {
            return $repository !== null
                && $repository->repositoryExists()
                && array_diff($this->published(), $repository->getRan()) === [];
        } catch (Throwable) {
            return false;
        }
    }

    private function isLedgerMissing(): bool
    {
        foreach ($this->spool->config()->buckets() as $bucket) {
            try {
                if (
                    $bucket->sink === 'database'
                    && ! $this->databases->connection($bucket->options->optionalString('connection'))
                        ->getSchemaBuilder()
                        ->hasColumn('spool_ledger', 'checksum')
                ) {
                    return true;
                }
            } catch (Throwable) {
                // The database is unreachable, which spool:health reports.
            }
        }

        return false;
    }

    /** @return list<string> names of the migrator */
    private function published(): array
    {
        $files = glob($this->app->databasePath('migrations/*'.self::SUFFIX.'.php'));

        return array_map(static fn (string $file): string => basename($file, '.php'), $files === false ? [] : $files);
    }
}
