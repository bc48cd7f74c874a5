<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Process\ChildProcess;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;

/**
 * fixtures/answers.php in a process of its own.
 */
final readonly class AnswerServer
{
    private function __construct(
        private ChildProcess $daemon,
        private TemporaryDirectory $directory,
        public int $port,
    ) {}

    /** @param list<RandomAnswer> $answers the first of them is at /0 */
    public static function start(array $answers): self
    {
        $directory = TemporaryDirectory::create('answers');
        file_put_contents(
            $directory->file('answers'),
            implode(
                "\n",
                array_map(
                    static fn (RandomAnswer $answer): string => ($answer->closes ? '-' : '+')
                        .base64_encode($answer->bytes),
                    $answers,
                ),
            ),
        );
        $command = [
            Programs::php(), __DIR__.'/fixtures/answers.php', $directory->file('port'), $directory->file('answers'),
        ];
        $daemon = ChildProcess::start(
            new ProcessOptions('server of answers', $command, $directory->file('server.log'), [], [Signal::Terminate]),
        );
        $daemon->awaitReady(static fn (): bool => is_file($directory->file('port')));

        return new self($daemon, $directory, (int) file_get_contents($directory->file('port')));
    }

    public function stop(): void
    {
        $this->daemon->stop();
        $this->directory->remove();
    }
}
