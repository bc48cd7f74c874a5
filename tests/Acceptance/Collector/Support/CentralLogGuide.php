<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Support;

use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Architecture\Files;
use PHPUnit\Framework\Assert;

/**
 * The configurations in docs/uses/central-log.md.
 */
final readonly class CentralLogGuide
{
    /**
     * @param array<string, string> $replaced each occurs once
     * @return array<array-key, array<string, mixed>> the sections of that file
     */
    public static function config(TemporaryDirectory $directory, string $file, array $replaced): array
    {
        $text = self::block("<?php // {$file}");

        foreach ($replaced as $from => $to) {
            Assert::assertSame(1, substr_count($text, $from), $from);
            $text = str_replace($from, $to, $text);
        }

        $config = require $directory->write('page.php', "<?php {$text}");
        Assert::assertIsArray($config);

        return array_map(self::section(...), $config);
    }

    /** @return string the lines that follow that one in its block */
    public static function block(string $line): string
    {
        $page = Files::read('docs/uses/central-log.md');
        $isThere = preg_match('/^```php\n'.preg_quote($line, '/').'\n(.*?)^```$/ms', $page, $match) === 1;

        return $isThere ? $match[1] : Assert::fail("No block begins with {$line}.");
    }

    /** @return array<string, mixed> */
    private static function section(mixed $values): array
    {
        Assert::assertIsArray($values);

        return array_combine(array_map(strval(...), array_keys($values)), $values);
    }
}
