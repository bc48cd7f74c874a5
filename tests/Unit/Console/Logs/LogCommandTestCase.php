<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console\Logs;

use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * The commands that read logs, and a directory with the logs.
 */
abstract class LogCommandTestCase extends TestCase
{
    protected const ERROR = '2026/03/14 09:41:07 [error] 1#1: *1 upstream timed out (110: Connection timed out) while'
        .' reading response header from upstream, client: 203.0.113.9, server: shop.test, request: "GET /videos?page=2'
        .' HTTP/1.1", upstream: "fastcgi://unix:/run/fpm.sock:", host: "shop.test"'."\n";

    protected TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('log-commands');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    /**
     * @param list<string> $files
     * @return array<array-key, mixed>
     */
    protected function json(Command $command, array $files): array
    {
        $tester = new CommandTester($command);
        self::assertSame(0, $tester->execute(['file' => $files, '--json' => true]));
        $document = json_decode($tester->getDisplay(), true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($document);

        return $document;
    }

    protected function text(Command $command, string $log): string
    {
        $tester = new CommandTester($command);
        self::assertSame(0, $tester->execute(['file' => [$this->directory->write('a.log', $log)]]));

        return $tester->getDisplay();
    }
}
