<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Load\Metrics\Progress;
use Headroom\Load\Metrics\ProgressListener;
use Headroom\Load\Plan;
use Headroom\Report\Format;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Helper\ProgressBar;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Output\StreamOutput;

/**
 * A line on a terminal that each update overwrites. Without a terminal nothing is printed.
 *
 * @internal
 */
final class ProgressLine implements ProgressListener
{
    private ?ProgressBar $bar = null;

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
        $this->bar ??= $this->bar();
        $this->bar->setMessage(OutputFormatter::escape($this->text($progress)));
        $this->bar->display();
    }

    public function end(): void
    {
        $this->bar?->clear();
    }

    private function bar(): ProgressBar
    {
        $bar = new ProgressBar($this->errors);
        $bar->setFormat('%message%');

        return $bar;
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
}
