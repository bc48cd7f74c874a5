<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Sockets;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\UnreadableKernel;

/**
 * The sockets that listen, as `ss -xln` and `ss -tln` print them.
 *
 * @internal
 */
final readonly class AcceptQueues
{
    private const UNIX = '/\A(?:u_\w+\s+)?LISTEN\s+(\d{1,10})\s+(\d{1,10})\s+(\S.*?)\s+\d+\s+\*\s+0(?:\s|\z)/';

    private const TCP = '/\A(?:tcp\s+)?LISTEN\s+(\d{1,10})\s+(\d{1,10})\s+(\S+):(\d{1,5})\s+\S+:\S+(?:\s|\z)/';

    /**
     * @param list<AcceptQueue> $queues
     * @param list<string> $misread lines with LISTEN that were not understood
     */
    private function __construct(private array $queues, public array $misread, private string $command) {}

    public static function parse(string $text, string $command): self
    {
        $queues = [];
        $misread = [];

        foreach (explode("\n", $text) as $line) {
            if (preg_match(self::TCP, $line, $m) === 1) {
                $queues[] = new AcceptQueue("{$m[3]}:{$m[4]}", (int) $m[1], (int) $m[2], $command);
            } elseif (preg_match(self::UNIX, $line, $m) === 1) {
                $queues[] = new AcceptQueue($m[3], (int) $m[1], (int) $m[2], $command);
            } elseif (str_contains($line, 'LISTEN')) {
                $misread[] = $line;
            }
        }

        return new self($queues, $misread, $command);
    }

    /** @throws FactUnavailable */
    public function ofUnix(string $path): AcceptQueue
    {
        foreach ($this->queues as $queue) {
            if ($queue->local === $path) {
                return $queue;
            }
        }

        throw UnreadableKernel::notListening($path, $this->command);
    }

    /**
     * Several sockets may listen at one port: on other addresses, or shared with reuseport.
     *
     * @return non-empty-list<AcceptQueue>
     *
     * @throws FactUnavailable
     */
    public function ofPort(int $port): array
    {
        $found = array_values(array_filter(
            $this->queues,
            static fn (AcceptQueue $queue): bool => ! str_starts_with($queue->local, '/')
                && str_ends_with($queue->local, ":{$port}"),
        ));

        return $found === [] ? throw UnreadableKernel::notListening("port {$port}", $this->command) : $found;
    }
}
