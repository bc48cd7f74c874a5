<?php

declare(strict_types=1);

namespace Headroom\Laravel\Database;

use Closure;
use Illuminate\Container\Container;
use Illuminate\Database\ConnectionResolverInterface;
use Illuminate\Database\DatabaseTransactionRecord;
use Illuminate\Database\DatabaseTransactionsManager;
use SplQueue;
use Throwable;
use WeakMap;
use WeakReference;

/**
 * Delays appends until the open transaction commits, as Laravel does with jobs. A rollback discards them. The
 * transaction that RefreshDatabase wraps around a test does not count.
 *
 * @internal
 */
final class AfterCommit
{
    /** @var WeakMap<DatabaseTransactionRecord, SplQueue<Closure(): void>> */
    private WeakMap $waiting;

    public function __construct()
    {
        $this->waiting = new WeakMap;
    }

    /**
     * @param Closure(): void $append
     * @param ?string $connection null means the default one
     */
    public function add(Closure $append, ?string $connection): void
    {
        $transaction = self::transaction($connection);

        if ($transaction === null) {
            $append();

            return;
        }

        if (! isset($this->waiting[$transaction])) {
            /** @var SplQueue<Closure(): void> $queue */
            $queue = new SplQueue;
            $this->waiting[$transaction] = $queue;
            $weak = WeakReference::create($transaction);
            $transaction->addCallback(fn () => $this->run($weak->get()));
        }

        $this->waiting[$transaction]->enqueue($append);
    }

    /** An append that fails must not discard those after it. */
    private function run(?DatabaseTransactionRecord $transaction): void
    {
        $waiting = $transaction === null ? null : $this->waiting[$transaction] ?? null;
        $first = null;

        while ($waiting !== null && ! $waiting->isEmpty()) {
            try {
                ($waiting->dequeue())();
            } catch (Throwable $e) {
                $first ??= $e;
            }
        }

        if ($first !== null) {
            throw $first;
        }
    }

    /** The innermost transaction of the connection, in the application that serves this request. */
    private static function transaction(?string $connection): ?DatabaseTransactionRecord
    {
        $app = Container::getInstance();

        if (! $app->bound('db.transactions')) {
            return null;
        }

        $manager = $app->make('db.transactions');
        $name = $connection ?? $app->make(ConnectionResolverInterface::class)->getDefaultConnection();

        return $manager instanceof DatabaseTransactionsManager
            ? $manager->callbackApplicableTransactions()
                ->last(static fn (DatabaseTransactionRecord $open): bool => $open->connection === $name)
            : null;
    }
}
