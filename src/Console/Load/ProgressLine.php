<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Load\Metrics\Progress;
use Headroom\Load\Metrics\ProgressListener;
use Headroom\Load\Plan;
use Headroom\Report\Format;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Output\StreamOutput;
use Symfony\Component\Console\Terminal;

/**
 * A line on a terminal that each update overwrites. Without a terminal nothing is printed.
 *
 * @internal
 */
final class ProgressLine implements ProgressListener
{
    /** Overwrites the line and then erases the rest: Symfony's ProgressBar clears first, which flickers. */
    private const OVER = "\r%s\e[K";

    private bool $isWritten = false;

    public function __construct(private readonly OutputInterface $errors, private readonly Plan $plan) {}

    public function isShown(): bool
    {
        return $this->errors instanceof StreamOutput
            && $this->errors->isDecorated()
            && ! $this->errors->isQuiet()
            && stream_isatty($this->errors->getStream());
    }

    public function progressed(Progress $progress): void
    {
        // A line longer than the terminal would wrap, and the next update would not overwrite all of it.
        $this->write(substr($this->text($progress), 0, (new Terminal)->getWidth() - 1));
        $this->isWritten = true;
    }

    public function end(): void
    {
        if ($this->isWritten) {
            $this->write('');
        }
    }

    private function text(Progress $progress): string
    {
        $whole = match (true) {
            $this->plan->requests !== null => ', '.Format::count($progress->succeeded + $progress->errors)
                .' of '.Format::count($this->plan->requests),
            $this->plan->seconds !== null => ' of '.Format::seconds($this->plan->seconds),
            default => '',
        };
        $p95 = $progress->p95 === null ? 'no response' : 'p95 '.Format::millis($progress->p95).' ms';

        return number_format($progress->seconds, 1)." s{$whole}  ".Format::rate($progress->perSecond).'  '
            .Format::count($progress->inFlight).' in flight  '.Format::count($progress->errors)." errors  {$p95}";
    }

    private function write(string $line): void
    {
        $this->errors->write(sprintf(self::OVER, $line), false, OutputInterface::OUTPUT_RAW);
    }
}
