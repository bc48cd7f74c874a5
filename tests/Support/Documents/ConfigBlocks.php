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

    /** @var array<string, list<string>> code by file */
    private array $code = [];

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
        $this->code[$file][] = match (true) {
            $key !== null => '$laid = '.self::nested($key, $entries).';',
            $file === self::BUCKETS => "\$entries = {$entries};\n"
                .'$laid = array_diff_key($entries, $config) === [] ? $entries : [\'buckets\' => $entries];',
            default => "\$laid = {$entries};",
        };
    }

    /**
     * @param array<string, string> $originals path of the file that is laid under, by file
     * @return array<string, string> code of each file
     */
    public function files(array $originals): array
    {
        $files = [];

        foreach ($this->code as $file => $parts) {
            $original = isset($originals[$file]) ? 'require '.var_export($originals[$file], true) : '[]';
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
