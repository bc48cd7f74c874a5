<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx;

use Headroom\Doctor\Nginx\Command;
use Headroom\Doctor\Nginx\CommandOutput;

final class FakeCommand implements Command
{
    /** @var list<list<string>> */
    public array $commands = [];

    /** @param array<string, CommandOutput> $answers by the last argument */
    public function __construct(private readonly array $answers) {}

    public function run(array $command): CommandOutput
    {
        $this->commands[] = $command;

        return $this->answers[$command[count($command) - 1]] ?? new CommandOutput(null, '', 'not found');
    }
}
