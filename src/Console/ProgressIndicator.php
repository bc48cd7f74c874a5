<?php

declare(strict_types=1);

namespace Headroom\Console;

use Headroom\Support\PhpRestrictions;
use Symfony\Component\Console\Helper\Helper;
use Symfony\Component\Console\Helper\ProgressBar;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Output\StreamOutput;

/**
 * A progress bar on stderr, so that stdout never changes. It is shown only if stderr is a terminal.
 *
 * @internal
 */
final class ProgressIndicator
{
    private ?ProgressBar $bar = null;

    private readonly OutputInterface $errors;

    public function __construct(OutputInterface $output)
    {
        $this->errors = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
    }

    public function isShown(): bool
    {
        return $this->errors->isDecorated()
            && ! $this->errors->isQuiet()
            && $this->errors instanceof StreamOutput
            && PhpRestrictions::call('stream_isatty', $this->errors->getStream()) === true;
    }

    public function start(string $what, int $bytes): void
    {
        if ($this->isShown()) {
            $this->bar = new ProgressBar($this->errors, max(1, $bytes));
            $this->bar->setPlaceholderFormatter(
                'read',
                static fn (ProgressBar $bar): string => Helper::formatMemory($bar->getProgress()).' of '
                    .Helper::formatMemory($bar->getMaxSteps()),
            );
            $this->bar->setFormat(" {$what} [%bar%] %percent:3s%% %read%, %remaining% left");
            $this->bar->start();
        }
    }

    public function advance(int $bytes): void
    {
        $this->bar?->setProgress(min($this->bar->getMaxSteps(), $this->bar->getProgress() + $bytes));
    }

    public function at(int $bytes): void
    {
        $this->bar?->setProgress(min($this->bar->getMaxSteps(), $bytes));
    }

    /** Removes the bar from the screen, so that a line can be printed. */
    public function clear(): void
    {
        $this->bar?->clear();
    }

    public function end(): void
    {
        $this->bar?->clear();
        $this->bar = null;
    }
}
