<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Wire\Support;

use Headroom\Process\Ports;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * A front controller in PHP's own server.
 */
final readonly class ServedFrontController
{
    private const TRIES = 500;

    private function __construct(public string $address, private TemporaryDirectory $home, private Process $server) {}

    /** It has not been compiled, or the compiled file is gone. */
    public static function unset(): self
    {
        $home = self::published();
        unlink($home->file('headroom-ingest.php'));

        return self::serve($home, $home->file('public/ingest.php'));
    }

    /** Behind a web server that hands over less of a body than it says. */
    public static function halving(): self
    {
        $home = self::published();

        return self::serve(
            $home,
            $home->write(
                'halving.php',
                '<?php $_SERVER["CONTENT_LENGTH"] .= "0"; require __DIR__."/public/ingest.php";',
            ),
        );
    }

    public function end(): void
    {
        $this->server->stop(2);
        $this->home->remove();
    }

    private static function published(): TemporaryDirectory
    {
        $home = TemporaryDirectory::create('published');
        mkdir($home->file('public'));
        Running::configure($home->path);
        [$exit, $output] = Running::run($home->path, 'collect:publish');

        return $exit === 0 ? $home : throw new RuntimeException($output);
    }

    private static function serve(TemporaryDirectory $home, string $script): self
    {
        $port = Ports::free();
        $server = new Process([Programs::php(), '-S', "127.0.0.1:{$port}", $script], $home->path, timeout: null);
        $server->start();

        for ($left = self::TRIES; ! Ports::accepts($port); $left--) {
            $left > 0 && $server->isRunning() ? usleep(10_000) : throw new RuntimeException($server->getErrorOutput());
        }

        return new self("127.0.0.1:{$port}", $home, $server);
    }
}
