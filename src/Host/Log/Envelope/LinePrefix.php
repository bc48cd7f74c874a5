<?php

declare(strict_types=1);

namespace Headroom\Host\Log\Envelope;

/**
 * A prefix of each line. The journal prints it only before the first line of a message and indents the further lines by
 * its width.
 *
 * @internal
 */
final class LinePrefix implements EnvelopeLayer
{
    private readonly string $pattern;

    private int $width = 0;

    private ?UnwrappedLine $last = null;

    public function __construct(private readonly PrefixShape $shape, private readonly PrefixTime $times)
    {
        $this->pattern = $shape->pattern();
    }

    public function unwrap(string $line): ?UnwrappedLine
    {
        if (preg_match($this->pattern, $line, $m) !== 1) {
            return $this->indented($line);
        }

        $this->width = strlen($m[0]);
        $text = substr($line, $this->width);
        $continues = ($m['part'] ?? '') === 'P';

        return $this->last = new UnwrappedLine(
            $text,
            $m['source'] ?? '',
            $this->times->of($m['time'] ?? ''),
            $continues,
        );
    }

    public function isLoose(): bool
    {
        return $this->shape->isLoose();
    }

    private function indented(string $line): ?UnwrappedLine
    {
        $isFurther = $this->shape === PrefixShape::Journal && $this->last !== null
            && strspn($line, ' ') >= $this->width;

        return $isFurther
            ? new UnwrappedLine(substr($line, $this->width), $this->last->source, $this->last->time)
            : null;
    }
}
