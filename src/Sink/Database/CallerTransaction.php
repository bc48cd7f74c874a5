<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Closure;
use Headroom\Support\PhpRestrictions;
use Illuminate\Database\Connection;
use Illuminate\Database\Events\ConnectionEvent;
use Illuminate\Database\Events\TransactionBeginning;
use Illuminate\Database\Events\TransactionCommitted;
use Illuminate\Database\Events\TransactionRolledBack;
use WeakMap;
use WeakReference;

/**
 * Tells what becomes of a transaction that somebody else began: Laravel says each step of it in an event. Its own
 * afterCommit() does not do: it is not told of a rollback to a savepoint in every version, nor of a connection that broke.
 *
 * @internal
 */
final class CallerTransaction
{
    /** @var ?WeakMap<Connection, self> one each, so that a process that lives long has one listener, too */
    private static ?WeakMap $byConnection = null;

    /** @var list<array{int, Closure(bool): void}> the level of the transaction that decides, and who wants to know */
    private array $waiting = [];

    /** The dispatcher it listens to. */
    private ?object $heard = null;

    /** @param WeakReference<Connection> $connection */
    private function __construct(private readonly WeakReference $connection) {}

    /** A connection that goes within a transaction undoes it. */
    public function __destruct()
    {
        $this->settle(static fn (): bool => true, false);
    }

    /** @return ?self null where nobody tells, since the connection has no dispatcher */
    public static function on(Connection $connection): ?self
    {
        self::$byConnection ??= new WeakMap;
        $transaction = self::$byConnection[$connection] ??= new self(WeakReference::create($connection));

        return $transaction->listensTo($connection) ? $transaction : null;
    }

    /** @param Closure(bool): void $settled true when what was done by now is there for good, false when it was undone */
    public function whenItEnds(Closure $settled): void
    {
        $this->waiting[] = [$this->connection->get()?->transactionLevel() ?? 0, $settled];
    }

    private function listensTo(Connection $connection): bool
    {
        $events = $connection->getEventDispatcher();

        if ($events === null || $events === $this->heard) {
            return $events !== null;
        }

        $self = WeakReference::create($this);

        if ($this->heard === null) {
            // So does a process that ends within it; while there is still a log to tell it to.
            PhpRestrictions::call('register_shutdown_function', static fn () => $self->get()?->settle(static fn (): bool => true, false));
        }

        $this->heard = $events;
        $events->listen(
            [TransactionBeginning::class, TransactionCommitted::class, TransactionRolledBack::class],
            static function (ConnectionEvent $event) use ($self): void {
                $self->get()?->hear($event);
            },
        );

        return true;
    }

    private function hear(ConnectionEvent $event): void
    {
        if ($this->waiting === [] || $event->connection !== $this->connection->get()) {
            return;
        }

        $level = $event->connection->transactionLevel();

        if ($event instanceof TransactionBeginning) {
            // One of this level was there before, and nobody said how it ended: the connection broke, or a commit failed.
            $this->settle(static fn (int $decides): bool => $decides >= $level, false);
        } elseif ($event instanceof TransactionRolledBack) {
            $this->settle(static fn (int $decides): bool => $decides > $level, false);
        } else {
            // More than one level at once is a deadlock that somebody has passed over in silence.
            $this->settle(static fn (int $decides): bool => $decides > $level + 1, false);
            $this->waiting = array_map(static fn (array $one): array => [min($one[0], $level), $one[1]], $this->waiting);
            $this->settle(static fn (int $decides): bool => $decides === 0, true);
        }
    }

    /** @param Closure(int): bool $which by the level that decides */
    private function settle(Closure $which, bool $kept): void
    {
        $settled = array_filter($this->waiting, static fn (array $one): bool => $which($one[0]));
        $this->waiting = array_values(array_diff_key($this->waiting, $settled));

        foreach ($settled as [, $tell]) {
            $tell($kept);
        }
    }
}
