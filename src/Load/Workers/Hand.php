<?php

declare(strict_types=1);

namespace Headroom\Load\Workers;

use Headroom\Load\UnableToLoad;
use Headroom\Support\FileOperation;

/**
 * A process that does a share of the load, as the one that started it sees it: a line to it, and one from it.
 *
 * @internal
 */
final class Hand
{
    private string $unread = '';

    /** What its pipe has not taken yet. */
    private string $untold = '';

    private ?string $end = null;

    /**
     * @param resource $process
     * @param resource $input
     * @param resource $output
     */
    private function __construct(private $process, private $input, private $output) {}

    /**
     * @param int $number from 1
     * @param list<string> $command
     *
     * @throws UnableToLoad
     */
    public static function start(int $number, array $command): self
    {
        $reason = '';
        // What it says on stderr is for whoever started this process.
        $process = FileOperation::run(static function () use ($command, &$pipes) {
            return proc_open($command, [0 => ['pipe', 'r'], 1 => ['pipe', 'w']], $pipes);
        }, $reason);

        if (
            $process === false
            || ! is_array($pipes)
            || ! is_resource($pipes[0] ?? null)
            || ! is_resource($pipes[1] ?? null)
        ) {
            throw UnableToLoad::notStarted($number, $reason);
        }

        // One that does not read must not keep whoever tells it something from hearing the others, or a signal.
        stream_set_blocking($pipes[0], false);
        stream_set_blocking($pipes[1], false);

        return new self($process, $pipes[0], $pipes[1]);
    }

    /** @return ?resource to be waited for until it can be read; null when there comes no more */
    public function output()
    {
        return feof($this->output) ? null : $this->output;
    }

    /** @return ?resource to be waited for until it takes more; null when it was told everything */
    public function input()
    {
        return $this->untold === '' ? null : $this->input;
    }

    public function tell(Message $message): void
    {
        $this->untold .= $message->line();
        $this->pass();
    }

    /** As much of what it is to be told as its pipe takes now. */
    public function pass(): void
    {
        $told = $this->untold === '' ? 0 : @fwrite($this->input, $this->untold);
        // One that is gone shows when its output ends.
        $this->untold = $told === false ? '' : substr($this->untold, $told);
    }

    /** @return list<Message> what it has said since */
    public function hear(): array
    {
        while (is_string($read = @fread($this->output, 1_048_576)) && $read !== '') {
            $this->unread .= $read;
        }

        $lines = explode("\n", $this->unread);
        $this->unread = array_pop($lines);

        return array_values(array_filter(array_map(Message::parse(...), $lines)));
    }

    /** @return ?string how it ended, in words; null while it runs */
    public function end(): ?string
    {
        if ($this->end !== null || ! feof($this->output)) {
            return $this->end;
        }

        $status = proc_get_status($this->process);

        if ($status['running']) {
            return null;
        }

        return $this->end = $status['signaled']
            ? "was ended by signal {$status['termsig']}"
            : "ended with exit code {$status['exitcode']}";
    }

    /** At once, if it has not ended. */
    public function kill(): void
    {
        if (proc_get_status($this->process)['running']) {
            // SIGKILL: it may be stopped, or busy with what it does not come back from.
            proc_terminate($this->process, 9);
        }
    }

    public function close(): void
    {
        $this->kill();
        fclose($this->input);
        fclose($this->output);
        proc_close($this->process);
    }
}
