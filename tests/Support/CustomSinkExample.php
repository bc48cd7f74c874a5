<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use Headroom\Sink\Sink;
use RuntimeException;

/**
 * The class that docs/custom-sink.md shows, as it stands there.
 */
final readonly class CustomSinkExample
{
    private const NAME = 'App\Sinks\DropOffSink';

    /** @return class-string<Sink> */
    public static function load(): string
    {
        if (! class_exists(self::NAME, false)) {
            $page = (string) file_get_contents(dirname(__DIR__, 2).'/docs/custom-sink.md');

            if (preg_match('~```php\n// app/Sinks/\w+\.php\n\n(namespace .*?)```~s', $page, $example) !== 1) {
                throw new RuntimeException('docs/custom-sink.md has no example that begins with its namespace.');
            }

            $file = sys_get_temp_dir().'/headroom-example-'.bin2hex(random_bytes(6)).'.php';
            file_put_contents($file, "<?php\n\ndeclare(strict_types=1);\n\n{$example[1]}");

            try {
                require $file;
            } finally {
                unlink($file);
            }
        }

        return is_a(self::NAME, Sink::class, true)
            ? self::NAME
            : throw new RuntimeException('The example of docs/custom-sink.md is no sink.');
    }
}
