<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Documents;

use Headroom\Tests\Support\Markdown\CodeBlock;

/**
 * Blocks that show entries of configuration files, laid over the files that a new application has.
 */
final class ConfigBlocks
{
    private const BUCKETS = 'config/spool.php';

    /** A bucket or a channel replaces the one of that name; others stay. */
    private const LAY = <<<'PHP'
        $lay = static function (array $config, array $laid) use (&$lay): array {
            foreach ($laid as $key => $value) {
                $isSection = in_array($key, ['buckets', 'sinks', 'channels', 'connections', 'redis'], true);
                $config[$key] = $isSection && is_array($value) ? $lay($config[$key] ?? [], $value) : $value;
            }

            return $config;
        };

        PHP;

    /** @var array<string, array<int, string>> code by file and number of the block */
    private array $code = [];

    private int $blocks = 0;

    /** Entries without the name of a file are buckets, the most frequent case. */
    public static function file(CodeBlock $block): string
    {
        return $block->file() ?? self::BUCKETS;
    }

    public function add(CodeBlock $block): void
    {
        $file = self::file($block);
        $entries = "[\n{$block->code}]";
        $key = $block->key();

        // A file's own keys are the outer ones: 'buckets' => [...]. Anything else in config/spool.php is a bucket.
        $this->code[$file][++$this->blocks] = match (true) {
            $key !== null => '$laid = '.self::nested($key, $entries).';',
            $file === self::BUCKETS => "\$entries = {$entries};\n"
                .'$laid = array_diff_key($entries, $config) === [] ? $entries : [\'buckets\' => $entries];',
            default => "\$laid = {$entries};",
        };
    }

    /**
     * A page may declare a bucket twice. The first declaration holds until the reader has reached the second one.
     *
     * @param array<string, string> $originals path of the file that is laid under, by file
     * @param int $reached number of blocks that the reader has reached
     * @return array<string, string> code of each file
     */
    public function files(array $originals, int $reached = 0): array
    {
        $files = [];

        foreach ($this->code as $file => $parts) {
            $original = isset($originals[$file]) ? 'require '.var_export($originals[$file], true) : '[]';
            uksort($parts, static fn (int $a, int $b): int => max($a, $b) <= $reached ? $a <=> $b : $b <=> $a);
            $lines = array_map(
                static fn (string $part): string => "{$part}\n\$config = \$lay(\$config, \$laid);\n",
                $parts,
            );
            $files[$file] = "<?php\n\n".self::LAY."\n\$config = {$original};\n\n".implode("\n", $lines)
                ."\nreturn \$config;\n";
        }

        return $files;
    }

    private static function nested(string $key, string $entries): string
    {
        foreach (array_reverse(explode('.', $key)) as $part) {
            $entries = '['.var_export($part, true)." => {$entries}]";
        }

        return $entries;
    }
}
