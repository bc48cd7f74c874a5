<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Load\Plan;
use Headroom\Load\Progress;
use Headroom\Load\Watcher;
use Headroom\Report\Format;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Output\StreamOutput;
use Symfony\Component\Console\Terminal;

/**
 * One line on a terminal that is written over. Nothing anywhere else.
 *
 * @internal
 */
final class ProgressLine implements Watcher
{
    /** Back to the beginning, and what is left of a longer line before goes: no empty line is ever to be seen. */
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

    public function watch(Progress $progress): void
    {
        // A line that is too long would begin a second one.
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
        $p95 = $progress->p95 === null ? 'no answer' : 'p95 '.Format::millis($progress->p95).' ms';

        return number_format($progress->seconds, 1)." s{$whole}  ".Format::rate($progress->perSecond).'  '
            .Format::count($progress->inFlight).' in flight  '.Format::count($progress->errors)." errors  {$p95}";
    }

    private function write(string $line): void
    {
        $this->errors->write(sprintf(self::OVER, $line), false, OutputInterface::OUTPUT_RAW);
    }
}
