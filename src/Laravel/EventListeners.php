<?php

declare(strict_types=1);

namespace Headroom\Laravel;

use Closure;
use Headroom\Laravel\Database\OpenTransactionDetector;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Database\ConnectionResolverInterface;
use LogicException;
use Throwable;

/**
 * Calls the application's listeners during a flush or an append. A transaction that a listener leaves open is rolled
 * back: the sink may use the same connection, and its next commit would commit nothing.
 *
 * @internal
 */
final readonly class EventListeners
{
    public function __construct(private Application $app) {}

    /**
     * @throws LogicException a listener left a transaction open
     * @throws Throwable from a listener
     */
    public function call(object $event): void
    {
        $end = $this->app->bound(ConnectionResolverInterface::class)
            ? (new OpenTransactionDetector($this->app->make(ConnectionResolverInterface::class)))->since()
            : static fn (): ?string => null;

        try {
            $this->app->make(Dispatcher::class)->dispatch($event);
        } catch (Throwable $e) {
            self::endQuietly($end);

            throw $e;
        }

        $open = $end();

        if ($open !== null) {
            throw new LogicException(
                "The listener returned with an open transaction on connection '{$open}', which was rolled back."
                    .' Commit the transaction, for example with DB::transaction().',
            );
        }
    }

    /** @param Closure(): ?string $end */
    private static function endQuietly(Closure $end): void
    {
        try {
            $end();
        } catch (Throwable) {
            // The caller reports the listener's failure.
        }
    }
}
