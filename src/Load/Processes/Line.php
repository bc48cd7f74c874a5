<?php

declare(strict_types=1);

namespace Headroom\Load\Processes;

use Headroom\Load\Metrics\Progress;
use Headroom\Load\Metrics\ProgressListener;

/**
 * A process's own ends of the lines to the one that started it.
 *
 * @internal
 */
final class Line implements ProgressListener
{
    /**
     * @param resource $input
     * @param resource $output
     * @param callable(): void $stop ends the run
     */
    public function __construct(private $input, private $output, private $stop) {}

    /** Null when nobody is there any more. */
    public function hear(): ?Message
    {
        $line = fgets($this->input);

        return $line === false ? null : Message::parse(rtrim($line, "\n"));
    }

    public function say(Message $message): void
    {
        // Nobody hears it when the other one is gone; then there is nothing to be done for anybody.
        @fwrite($this->output, $message->line());
        @fflush($this->output);
    }

    public function progressed(Progress $progress): void
    {
        $this->say(new Message(Word::Progress, Parcel::ofProgress($progress)));
        $readable = [$this->input];
        $none = null;

        // Whatever comes now is the word to stop, or the end of whoever would hear the result.
        if (@stream_select($readable, $none, $none, 0, 0) === 1) {
            ($this->stop)();
        }
    }
}
