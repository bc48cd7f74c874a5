<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

/**
 * The article's three, each on both stacks.
 */
enum Scenario: string
{
    case Hello = 'hello';
    case Slow = 'slow';
    case Log = 'log';

    public function title(): string
    {
        return match ($this) {
            self::Hello => '1. Hello world',
            self::Slow => '2. A third party that takes two seconds',
            self::Log => '3. Events into a search index',
        };
    }

    public function words(): string
    {
        return match ($this) {
            self::Hello => 'Nothing is waited for. As long as neither stack is at its limit, each user gets an answer a'
                .' second from both.',
            self::Slow => 'Each answer is asked of another server, which takes 2 s. A process of stack A waits with'
                .' each of them; a worker of stack X goes on with others.',
            self::Log => 'An event is posted. Stack X answers when it is synced to its disk and delivers it later;'
                .' stack A answers when OpenSearch has it.',
        };
    }
}
