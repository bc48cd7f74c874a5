<?php

declare(strict_types=1);

namespace Headroom\Console;

use Headroom\Support\FileOperation;
use Symfony\Component\Console\Output\ConsoleOutput;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * Standard output of which every write is checked, so that a command whose report is lost, as on a full disk, does not
 * end with exit code 0. Symfony's outputs ignore a failed write.
 *
 * @internal
 */
final class CheckedOutput extends ConsoleOutput
{
    /** A program such as head(1) closes the pipe after the lines that it needs. */
    private const BROKEN_PIPE = 32;

    private const WAIT_SECONDS = 1;

    /** Reason of the first write that failed; null if all output was written. */
    public ?string $failure = null;

    /** Whether the program that read the output has closed the pipe. This is no failure. */
    public bool $isClosed = false;

    /** @return ?self null for an output that is not stdout itself: its class or its stream may keep the text */
    public static function of(OutputInterface $output): ?self
    {
        if ($output::class !== ConsoleOutput::class) {
            return null;
        }

        $checked = new self($output->getVerbosity(), $output->isDecorated(), $output->getFormatter());
        $checked->setErrorOutput($output->getErrorOutput());

        return $checked->getStream() === $output->getStream() ? $checked : null;
    }

    protected function doWrite(string $message, bool $newline): void
    {
        $stream = $this->getStream();
        $rest = $newline ? $message.PHP_EOL : $message;

        while ($rest !== '' && ! $this->isClosed) {
            $reason = null;
            $written = FileOperation::run(static fn (): int|false => fwrite($stream, $rest), $reason);

            if ($written === false) {
                $this->fail($reason);

                return;
            }

            if ($written === 0) {
                self::await($stream);
            }

            $rest = substr($rest, $written);
        }
    }

    private function fail(string $reason): void
    {
        if (preg_match('/ errno=(\d+) (.+)\z/', $reason, $m) !== 1) {
            $this->failure ??= $reason;
        } elseif ((int) $m[1] === self::BROKEN_PIPE) {
            $this->isClosed = true;
        } else {
            $this->failure ??= $m[2];
        }
    }

    /**
     * Waits until a reader makes room. A program that shares the stream may have made it non-blocking.
     *
     * @param resource $stream
     */
    private static function await($stream): void
    {
        $write = [$stream];
        $none = null;
        // A signal ends the wait with a warning.
        @stream_select($none, $write, $none, self::WAIT_SECONDS);
    }
}
