<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Uses;

use Headroom\Tests\Laravel\WorkbenchApplication;
use PHPUnit\Framework\Assert;

/**
 * A page of docs/uses, held against the workbench.
 */
final readonly class UsePage
{
    private function __construct(private string $text) {}

    public static function of(string $name): self
    {
        return new self(self::flat((string) file_get_contents(dirname(__DIR__, 3)."/docs/uses/{$name}.md")));
    }

    /**
     * @param array{string, string} $parts a file of the workbench, and what of it the page has;
     *     indentation does not count
     */
    public function shows(array ...$parts): void
    {
        foreach ($parts as [$file, $pattern]) {
            Assert::assertSame(
                1,
                preg_match($pattern, (string) file_get_contents(WorkbenchApplication::ROOT."/{$file}"), $part),
                "{$file} has nothing like {$pattern}.",
            );
            Assert::assertStringContainsString(self::flat($part[0]), $this->text, $file);
        }
    }

    private static function flat(string $text): string
    {
        return trim((string) preg_replace('/^\h+|\h+$/m', '', $text));
    }
}
