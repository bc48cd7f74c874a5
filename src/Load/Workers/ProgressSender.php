<?php

declare(strict_types=1);

namespace Headroom\Load\Workers;

use Headroom\Load\Progress;
use Headroom\Load\Watcher;

/**
 * A process's own ends of the lines to the one that started it.
 *
 * @internal
 */
final class ProgressSender implements Watcher
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

    public function watch(Progress $progress): void
    {
        $this->say(new Message(MessageType::Progress, ResultCodec::ofProgress($progress)));
        $readable = [$this->input];
        $none = null;

        // Whatever comes now is the word to stop, or the end of whoever would hear the result.
        if (@stream_select($readable, $none, $none, 0, 0) === 1) {
            ($this->stop)();
        }
    }
}
