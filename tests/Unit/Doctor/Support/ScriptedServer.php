<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Support;

use RuntimeException;
use Symfony\Component\Process\PhpProcess;

/**
 * Sends to whoever connects what it was told to, whatever that one says.
 */
final readonly class ScriptedServer
{
    private function __construct(private PhpProcess $process, public int $port) {}

    public static function saying(string $bytes, bool $thenCloses = true): self
    {
        $process = new PhpProcess(sprintf(<<<'PHP'
            <?php
            $server = stream_socket_server('tcp://127.0.0.1:0');
            echo parse_url('tcp://'.stream_socket_get_name($server, false), PHP_URL_PORT), "\n";
            while ($client = @stream_socket_accept($server, 30)) {
                fread($client, 4096);
                @fwrite($client, base64_decode('%s'));
                if (%s) { fclose($client); } else { $kept[] = $client; }
            }
            PHP, base64_encode($bytes), var_export($thenCloses, true)));
        $process->start();
        $process->waitUntil(static fn (string $type, string $text): bool => str_contains($text, "\n"));
        $port = (int) $process->getOutput();

        return $port > 0 ? new self($process, $port) : throw new RuntimeException($process->getErrorOutput());
    }

    public function stop(): void
    {
        $this->process->stop(0);
    }
}
