<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Sockets;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\ExternalProgram;
use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Doctor\Kernel\UnreadableKernel;
use Headroom\Process\Programs;

/**
 * The number of connections that wait, by ss. FPM's status page does not report it for a Unix socket.
 *
 * @internal
 */
final readonly class ListenSockets
{
    /** @param ?string $ss path of the program */
    public function __construct(
        private ?string $ss,
        private KernelFiles $files = new KernelFiles,
        private ExternalProgram $program = new ExternalProgram(10),
    ) {}

    public static function ofThisMachine(): self
    {
        return new self(Programs::optional('ss'));
    }

    /**
     * @param ?int $pid of the process that listens: ss does not see sockets in another network namespace
     *
     * @throws FactUnavailable
     */
    public function unix(string $path, ?int $pid = null): AcceptQueue
    {
        $this->mustBeHere($pid, 'ss -xln');

        return $this->ask('-xln')->ofUnix($path);
    }

    /**
     * @return non-empty-list<AcceptQueue>
     *
     * @throws FactUnavailable
     */
    public function port(int $port, ?int $pid = null): array
    {
        if ($this->ss === null) {
            $table = TcpTable::read($pid === null ? 'self' : (string) $pid, $this->files);

            return [new AcceptQueue("*:{$port}", $table->waitingAt($port), null, $table->source)];
        }

        $this->mustBeHere($pid, 'ss -tln');

        return $this->ask('-tln')->ofPort($port);
    }

    /** @throws FactUnavailable */
    private function ask(string $flags): AcceptQueues
    {
        $command = "ss {$flags}";
        $ss = $this->ss ?? throw UnreadableKernel::noProgram('ss', 'iproute2', $command);

        return AcceptQueues::parse($this->program->output([$ss, $flags], $command), $command);
    }

    /** @throws FactUnavailable */
    private function mustBeHere(?int $pid, string $command): void
    {
        if ($pid === null) {
            return;
        }

        $own = $this->files->target('/proc/self/ns/net');
        $theirs = $this->files->target("/proc/{$pid}/ns/net");

        // Without permission to see its network namespace, assume that it is the same.
        if ($own !== null && $theirs !== null && $own !== $theirs) {
            throw UnreadableKernel::otherNetwork($pid, $command);
        }
    }
}
