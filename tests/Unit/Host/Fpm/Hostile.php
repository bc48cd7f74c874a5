<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Host\Fpm;

use Headroom\Host\Fpm\Address;
use Headroom\Process\ChildProcess;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;

/**
 * A server at a unix socket that says what no FPM says.
 */
final readonly class Hostile
{
    private function __construct(private ChildProcess $daemon, public Address $address) {}

    /** @param 'close'|'hang'|'repeat' $end */
    public static function says(string $bytes, string $end, TemporaryDirectory $directory): self
    {
        $socket = $directory->file('hostile.sock');
        $command = [Programs::php(), __DIR__.'/fixtures/hostile.php', $socket, base64_encode($bytes), $end];
        $daemon = ChildProcess::start(new ProcessOptions('hostile', $command, $directory->file('hostile.log')));
        $daemon->awaitReady(static fn (): bool => file_exists($socket));

        return new self($daemon, Address::parse($socket));
    }

    public function stop(): void
    {
        $this->daemon->stop();
    }
}
