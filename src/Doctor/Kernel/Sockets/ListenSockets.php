<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Sockets;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Doctor\Kernel\UnreadableKernel;
use Headroom\Process\Programs;
use Headroom\Process\ShieldedCommand;
use Symfony\Component\Process\Exception\ProcessTimedOutException;
use Symfony\Component\Process\Process;

/**
 * Asks the kernel, through ss, how many connections wait. FPM's own page does not know it of a unix socket.
 *
 * @internal
 */
final readonly class ListenSockets
{
    private const SECONDS = 10;

    /** @param ?string $ss path of the program */
    public function __construct(private ?string $ss, private KernelFiles $files = new KernelFiles) {}

    public static function ofThisMachine(): self
    {
        return new self(Programs::optional('ss'));
    }

    /**
     * @param ?int $pid of who listens: with a network of its own its sockets are not seen from here
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
        $process = new Process(
            [$this->ss ?? throw UnreadableKernel::noProgram('ss', 'iproute2', $command), $flags],
            null,
            ['LC_ALL' => 'C'],
            null,
            self::SECONDS,
        );

        try {
            $code = ShieldedCommand::run($process);
        } catch (ProcessTimedOutException) {
            throw UnreadableKernel::tookTooLong($command, self::SECONDS);
        }

        return $code === 0
            ? AcceptQueues::parse($process->getOutput(), $command)
            : throw UnreadableKernel::failed($command, $code, $process->getErrorOutput());
    }

    /** @throws FactUnavailable */
    private function mustBeHere(?int $pid, string $command): void
    {
        if ($pid === null) {
            return;
        }

        $own = $this->files->target('/proc/self/ns/net');
        $theirs = $this->files->target("/proc/{$pid}/ns/net");

        // Without the permission to see its network, it is taken for the same one.
        if ($own !== null && $theirs !== null && $own !== $theirs) {
            throw UnreadableKernel::otherNetwork($pid, $command);
        }
    }
}
