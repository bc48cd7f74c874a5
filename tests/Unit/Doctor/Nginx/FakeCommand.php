<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx;

use Headroom\Doctor\Facts\Nginx\Command;
use Headroom\Doctor\Facts\Nginx\Printed;

final class FakeCommand implements Command
{
    /** @var list<list<string>> */
    public array $commands = [];

    /** @param array<string, Printed> $answers by the last argument */
    public function __construct(private readonly array $answers) {}

    public function run(array $command): Printed
    {
        $this->commands[] = $command;

        return $this->answers[$command[count($command) - 1]] ?? new Printed(null, '', 'not found');
    }
}
