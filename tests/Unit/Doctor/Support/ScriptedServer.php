<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Support;

use Headroom\Tests\Support\Printed;
use RuntimeException;
use Symfony\Component\Process\PhpProcess;

/**
 * Sends the same bytes on each connection after any request.
 */
final readonly class ScriptedServer
{
    private const OVER = 'over';

    private function __construct(private PhpProcess $process, public int $port) {}

    public static function saying(string $bytes, bool $thenCloses = true): self
    {
        return self::start(sprintf(
            "fread(\$client, 4096); @fwrite(\$client, base64_decode('%s')); if (%s) { fclose(\$client);"
                .' } else { $kept[] = $client; }',
            base64_encode($bytes),
            var_export($thenCloses, true),
        ));
    }

    /**
     * A large answer that is made at the other end: this process would have to send it there.
     *
     * @param int $letters that follow each piece
     */
    public static function repeating(string $head, string $piece, int $letters, int $times): self
    {
        return self::start(sprintf(
            'fread($client, 4096);'
                ." \$piece = base64_decode('%2\$s').str_repeat('x', %3\$d).\"\\r\\n\";"
                ." @fwrite(\$client, base64_decode('%1\$s').str_repeat(\$piece, %4\$d));"
                .' fclose($client);',
            base64_encode($head),
            base64_encode($piece),
            $letters,
            $times,
        ));
    }

    /** The same bytes again and again for half a minute, so that no wait for the next is long. */
    public static function dripping(string $bytes, int $micros): self
    {
        return self::start(sprintf(
            "for (\$until = time() + 30; time() < \$until;) { @fwrite(\$client, base64_decode('%s')); usleep(%d);"
                ." } echo '%s';",
            base64_encode($bytes),
            $micros,
            self::OVER,
        ));
    }

    /** Takes the connection, and says nothing for half a minute. */
    public static function silent(): self
    {
        return self::dripping('', 100_000);
    }

    /** Whether the client went away before all bytes were sent. */
    public function isLeft(): bool
    {
        return ! str_contains($this->process->getOutput(), self::OVER);
    }

    private static function start(string $answer): self
    {
        $process = new PhpProcess(<<<PHP
            <?php
            \$server = stream_socket_server('tcp://127.0.0.1:0');
            echo parse_url('tcp://'.stream_socket_get_name(\$server, false), PHP_URL_PORT), "\n";
            while (\$client = @stream_socket_accept(\$server, 30)) {
                {$answer}
            }
            PHP);
        $process->start();
        Printed::by($process, "\n");
        $port = (int) $process->getOutput();

        return $port > 0 ? new self($process, $port) : throw new RuntimeException($process->getErrorOutput());
    }

    public function stop(): void
    {
        $this->process->stop(0);
    }
}
