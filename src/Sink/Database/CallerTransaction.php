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
 * Reports the outcome of a transaction that the caller began. Laravel dispatches an event for each of its steps.
 * Laravel's own afterCommit() is not enough: some versions do not report a rollback to a savepoint to it, and no
 * version reports a broken connection.
 *
 * @internal
 */
final class CallerTransaction
{
    /** @var ?WeakMap<Connection, self> one per connection, so that a long-running process has one listener each */
    private static ?WeakMap $byConnection = null;

    /** @var list<array{int, Closure(bool): void}> the transaction level that decides, and the callback */
    private array $callbacks = [];

    /** The dispatcher with this object's listener. */
    private ?object $dispatcher = null;

    /** @param WeakReference<Connection> $connection */
    private function __construct(private readonly WeakReference $connection) {}

    /** The server rolls back the open transaction of a connection that goes away. */
    public function __destruct()
    {
        $this->notify(static fn (): bool => true, false);
    }

    /** @return ?self null if the connection has no dispatcher: then the outcome cannot be seen */
    public static function on(Connection $connection): ?self
    {
        self::$byConnection ??= new WeakMap;
        $transaction = self::$byConnection[$connection] ??= new self(WeakReference::create($connection));

        return $transaction->listen($connection) ? $transaction : null;
    }

    /**
     * @param Closure(bool): void $settled gets true once everything so far is stored for good, false if it was rolled
     * back
     */
    public function onOutcome(Closure $settled): void
    {
        $this->callbacks[] = [$this->connection->get()?->transactionLevel() ?? 0, $settled];
    }

    private function listen(Connection $connection): bool
    {
        $events = $connection->getEventDispatcher();

        if ($events === null || $events === $this->dispatcher) {
            return $events !== null;
        }

        $self = WeakReference::create($this);

        if ($this->dispatcher === null) {
            // A process that ends within the transaction rolls it back too. Report it while the logger still exists.
            PhpRestrictions::call(
                'register_shutdown_function',
                static fn () => $self->get()?->notify(static fn (): bool => true, false),
            );
        }

        $this->dispatcher = $events;
        $events->listen(
            [TransactionBeginning::class, TransactionCommitted::class, TransactionRolledBack::class],
            static function (ConnectionEvent $event) use ($self): void {
                $self->get()?->handle($event);
            },
        );

        return true;
    }

    private function handle(ConnectionEvent $event): void
    {
        if ($this->callbacks === [] || $event->connection !== $this->connection->get()) {
            return;
        }

        $level = $event->connection->transactionLevel();

        if ($event instanceof TransactionBeginning) {
            // An earlier transaction of this level ended without an event: the connection broke, or its commit failed.
            $this->notify(static fn (int $decides): bool => $decides >= $level, false);
        } elseif ($event instanceof TransactionRolledBack) {
            $this->notify(static fn (int $decides): bool => $decides > $level, false);
        } else {
            // If more than one level ended at once, application code has caught the exception of a deadlock.
            $this->notify(static fn (int $decides): bool => $decides > $level + 1, false);
            $this->callbacks = array_map(
                static fn (array $one): array => [min($one[0], $level), $one[1]],
                $this->callbacks,
            );
            $this->notify(static fn (int $decides): bool => $decides === 0, true);
        }
    }

    /** @param Closure(int): bool $which selects callbacks by the level that decides */
    private function notify(Closure $which, bool $isCommitted): void
    {
        $settled = array_filter($this->callbacks, static fn (array $one): bool => $which($one[0]));
        $this->callbacks = array_values(array_diff_key($this->callbacks, $settled));

        foreach ($settled as [, $callback]) {
            $callback($isCommitted);
        }
    }
}
