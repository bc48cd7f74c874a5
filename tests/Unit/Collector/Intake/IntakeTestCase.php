<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Intake;

use Headroom\Collector\Intake\Decision;
use Headroom\Collector\Intake\IntakeSettings;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\TestCase;

abstract class IntakeTestCase extends TestCase
{
    /** @var list<TemporaryDirectory> */
    private array $directories = [];

    protected function setUp(): void
    {
        // What an operator is told is no output of a test.
        ini_set('error_log', '/dev/null');
    }

    protected function tearDown(): void
    {
        ini_restore('error_log');

        foreach ($this->directories as $directory) {
            $directory->remove();
        }
    }

    protected function collecting(IntakeSettings $settings = new IntakeSettings(isAuthenticated: false)): Collecting
    {
        return new Collecting($this->directories[] = TemporaryDirectory::create('intake'), $settings);
    }

    /** @return array<string, mixed> the only one */
    protected static function row(Decision $decision): array
    {
        self::assertSame(1, $decision->count, $decision->answer->body);
        $rows = Collecting::rows($decision->lines);
        self::assertCount(1, $rows);

        return $rows[0];
    }

    /** @return array<mixed> */
    protected static function refused(int $status, string $code, Decision $decision): array
    {
        $body = Collecting::body($decision);
        self::assertSame(
            [$status, $code, $status, 0, ''],
            [
                $decision->answer->status,
                $body['code'] ?? null,
                $body['status'] ?? null,
                $decision->count,
                $decision->lines,
            ],
            $decision->answer->body,
        );
        self::assertSame('application/problem+json', $decision->answer->headers['Content-Type']);

        return $body;
    }
}
