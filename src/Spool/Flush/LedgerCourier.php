<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Headroom\Core\Position;
use Headroom\Sink\Delivery;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Spool\FlushState;
use Headroom\Spool\Log;
use Headroom\Spool\UnableToFlush;

/**
 * The sink's ledger is the cursor; what is saved here is only what the ledger said last.
 *
 * @internal
 */
final class LedgerCourier implements Courier
{
    private Progress $progress;

    public function __construct(private readonly ExactlyOnce $sink, private readonly Log $log, private readonly Source $source)
    {
        $this->progress = Progress::none();
    }

    public function begin(): Progress
    {
        $progress = $this->sink->progress($this->source);

        if ($progress === null) {
            $last = $this->log->state()->progress->position;

            if (! $last->isStart()) {
                throw UnableToFlush::ledgerForgot($this->source->toString(), $last->toString());
            }

            $this->sink->register($this->source);
            $progress = Progress::none();
        }

        return $this->progress = $progress;
    }

    public function begun(): ?Position
    {
        return null;
    }

    public function deliver(Delivery $delivery): Progress
    {
        $this->sink->deliver($delivery);
        $this->progress = $this->progress->advancedBy($delivery);
        $this->log->save(new FlushState($this->progress));

        return $this->progress;
    }
}
