<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use Headroom\Tests\Support\Printed;
use RuntimeException;
use Symfony\Component\Process\InputStream;
use Symfony\Component\Process\Process;

/**
 * A way to a server on which a reply can get lost although the server did what it was asked.
 */
final class ReplyLosingProxy
{
    private function __construct(
        private readonly Process $process,
        private readonly InputStream $input,
        private readonly string $flag,
        public readonly int $port,
    ) {}

    public static function to(string $host, string $port): self
    {
        $flag = sys_get_temp_dir().'/headroom-lose-'.bin2hex(random_bytes(6));
        $input = new InputStream;
        $process = new Process(
            [PHP_BINARY, __DIR__.'/fixtures/reply-losing-proxy.php', "{$host}:{$port}", $flag],
            input: $input,
            timeout: 60,
        );
        $process->start();
        Printed::by($process, "\n");
        $listening = (int) $process->getOutput();

        return $listening > 0
            ? new self($process, $input, $flag, $listening)
            : throw new RuntimeException('The proxy did not start: '.$process->getErrorOutput());
    }

    public function loseNextReply(): void
    {
        touch($this->flag);
    }

    public function losesNoMore(): void
    {
        unlink($this->flag);
    }

    public function stop(): void
    {
        $this->input->close();
        $this->process->wait();

        if (is_file($this->flag)) {
            unlink($this->flag);
        }
    }
}
