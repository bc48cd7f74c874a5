<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Documents;

/**
 * Which part of a PHP file a block is.
 */
enum PhpShape
{
    case Statements;

    /** `'api-events' => [...],`: entries of an array, such as those of a configuration file. */
    case Entries;

    /** Properties and methods of a class. */
    case Members;

    /** @return string the code as a whole file */
    public function file(string $code): string
    {
        $code = (string) preg_replace('/\A<\?php\s/', '', $code);

        return match ($this) {
            self::Statements => "<?php\n{$code}",
            self::Entries => "<?php\nreturn [\n{$code}];\n",
            self::Members => "<?php\nreturn new class {\n{$code}};\n",
        };
    }
}
