<?php

declare(strict_types=1);

namespace Pheanstalk\Contract;

interface SocketInterface
{
    public function write(string $data): void;

    public function read(int $length): string;

    /** Without the line end. */
    public function getLine(): string;

    public function disconnect(): void;
}
