<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\SystemClock;
use RuntimeException;

/**
 * What runs until somebody kills it.
 */
final readonly class Endless
{
    public function __construct(private World $world) {}

    /**
     * Notes each id in "<name>.ack" after the append has returned: that is what was acknowledged.
     *
     * @param string $name unique to this process
     */
    public function write(string $name): never
    {
        $clock = new SystemClock;
        $buffer = $this->world->buffer();
        $acknowledged = fopen("{$this->world->directory}/{$name}.ack", 'a');

        if ($acknowledged === false) {
            throw new RuntimeException('There is no place for acknowledgements.');
        }
        for ($n = 1; ; $n++) {
            // Loops that hold their slot, and requests that open one each.
            $n % 100 === 1 ? $buffer->keep() : null;
            $n % 100 === 51 ? $buffer->release() : null;
            $id = "{$name}-{$n}";
            $this->world->append([$id], buffer: $buffer);
            fwrite($acknowledged, "{$id}\n");
            $clock->sleep(200);
        }
    }

    public function flush(): never
    {
        $clock = new SystemClock;
        $flusher = $this->world->flusher();

        while (true) {
            $report = $flusher->flush('events');

            if ($report->failure !== null) {
                file_put_contents("{$this->world->directory}/failures", $report->failure->getMessage()."\n", FILE_APPEND);
            }

            $clock->sleep($report->busy ? 20_000 : 2_000);
        }
    }
}
