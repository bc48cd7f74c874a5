<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx;

use Headroom\Doctor\Nginx\CommandRunner;
use Headroom\Doctor\Nginx\NginxOutput;

final class FakeCommandRunner implements CommandRunner
{
    /** @var list<list<string>> */
    public array $commands = [];

    /** @param array<string, NginxOutput> $answers by the last argument */
    public function __construct(private readonly array $answers) {}

    public function run(array $command): NginxOutput
    {
        $this->commands[] = $command;

        return $this->answers[$command[count($command) - 1]] ?? new NginxOutput(null, '', 'not found');
    }
}
